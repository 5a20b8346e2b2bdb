class Suite(val name: String) {
  @JvmField val suite = of("suite")

  @Dep