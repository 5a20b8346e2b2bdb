"""The code graph after replaced names in 13 languages is that of a fresh index, and each rule of what follows them.

Any word of a file is replaced by any other word of the project, so that imports, bases, definitions and calls come and
go, and texts become wrong.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from scry.index.graph import GraphMemory
from tests.sample.graph import GraphProject

SOURCES: dict[str, dict[str, str]] = {
    "kotlin": {
        "common/Base.kt": (
            "package app\n\ninterface Kept { fun lock() }\n\nopen class Base : Kept {\n"
            "    override fun lock() {}\n    companion object { fun open() = Base() }\n}\n"
        ),
        "jvm/Store.kt": (
            "package app\n\nimport app.tools.Helper as Aid\n\nclass Store : Base() {\n"
            "    fun haul(aid: Aid) { aid.help(); lock() }\n}\n\nfun Store.extra() { lock() }\n"
        ),
        "jvm/Helper.kt": (
            "package app.tools\n\nimport app.Base\nimport app.extra\n\nclass Helper : Base() {\n"
            "    fun help() { extra() }\n}\n\nfun free() {}\n"
        ),
        "test/Main.kt": (
            "package check\n\nimport app.*\nimport app.tools.*\n\nfun main(helper: Helper) {\n"
            "    val s = Store()\n    s.haul(helper)\n    s.lock()\n    helper.lock()\n    free()\n"
            "    Store.open()\n}\n"
        ),
    },
    "scala": {
        "core/Base.scala": (
            "package app\n\ntrait Kept { def lock(): Unit }\n\nclass Base extends Kept {\n"
            "  def lock(): Unit = {}\n}\nobject Base { def open() = new Base() }\n"
        ),
        "core/Store.scala": (
            "package app\npackage data\n\nimport app.tools.{Helper => Aid}\n\nclass Store extends Base {\n"
            "  def haul(aid: Aid) = { aid.help(); lock() }\n}\n"
        ),
        "more/Helper.scala": (
            "package app.tools\n\nimport app.Base\n\nclass Helper extends Base {\n  def help() = {}\n}\n"
        ),
        "test/Main.scala": (
            "package check\n\nimport app.data.Store\nimport app.tools._\n\nobject Main {\n"
            "  def main(helper: Helper) = {\n    val s = new Store()\n    s.haul(helper)\n    s.lock()\n"
            "    helper.lock()\n  }\n}\n"
        ),
    },
    "haskell": {
        "src/App/Store.hs": (
            "module App.Store (haul, Store(..)) where\n\nimport App.Tools (help)\n"
            "import qualified App.Base as B\n\ndata Store = Store { size :: Int }\n\nhaul :: Int -> Store\n"
            "haul x = Store (help (B.lock x))\n"
        ),
        "src/App/Base.hs": "module App.Base where\n\nlock :: Int -> Int\nlock x = x\n",
        "src/App/Tools.hs": "module App.Tools where\n\nimport App.Base\n\nhelp :: Int -> Int\nhelp x = lock x\n",
        "src/Main.hs": (
            "module Main where\n\nimport App.Store\nimport App.Tools hiding (help)\n\nmain :: IO ()\n"
            "main = print (size (haul 1))\n"
        ),
    },
    "zig": {
        "src/store.zig": (
            'const std = @import("std");\nconst tools = @import("tools.zig");\npub const Store = struct {\n'
            "    pub fn init() Store { return tools.make(); }\n"
            "    pub fn haul(self: *Store) void { self.lock(); tools.help(); }\n"
            "    fn lock(self: *Store) void { _ = self; }\n};\n"
        ),
        "src/tools.zig": "pub fn help() void {}\npub fn make() void { help(); }\n",
        "src/main.zig": (
            'const Store = @import("store.zig").Store;\nconst t = @import("tools.zig");\n\n'
            "pub fn main() void {\n    var s = Store.init();\n    s.haul();\n    t.help();\n}\n"
        ),
    },
    "python": {
        "pkg/__init__.py": "from . import store\nfrom .store import *\nfrom .kinds import Kept as K\n",
        "pkg/kinds.py": (
            "class Root:\n    def root(self): ...\n\n\nclass Kept(Root):\n    def keep(self):\n        self.root()\n"
        ),
        "pkg/store.py": (
            "from pkg import kinds\nfrom pkg.kinds import Kept\n\n\nclass Store(kinds.Kept):\n"
            "    class In(Kept):\n        def go(self): ...\n\n"
            "    def haul(self, other: 'Kept', more: kinds.Root):\n        other.keep()\n"
            "        more.root()\n        self.keep()\n        return Store.In().go()\n\n\n"
            "def make() -> Store:\n    return Store()\n"
        ),
        "pkg/app/__init__.py": "",
        "pkg/app/main.py": (
            "import pkg\nfrom pkg import Store, K, store as st\nfrom ..store import make\n\n\n"
            "class Own(Store, K):\n    def run(self):\n        self.haul(self, self)\n"
            "        super().root()\n\n\ndef main(own: Own, k: K):\n    own.run()\n    own.root()\n"
            "    k.keep()\n    s = st.Store()\n    s.root()\n    make()\n    pkg.make()\n"
            "    pkg.store.make()\n    i = Store.In()\n    i.keep()\n"
        ),
    },
    "javascript": {
        "src/index.js": (
            "export { default as Shop, haul as carry } from './store';\nexport * from './tools';\n"
            "export * as kit from './kit';\n"
        ),
        "src/store.js": (
            "import Base from './base';\nimport { lock } from './tools';\n"
            "export default class Store extends Base {\n  run() { this.open(); lock(); super.open(); }\n}\n"
            "export function haul() { return new Store(); }\n"
        ),
        "src/base.js": "export default class Base extends Root {\n  open() {}\n}\nclass Root { base() {} }\n",
        "src/tools.js": "export function lock() {}\nexport const free = () => lock();\n",
        "src/kit.js": "const store = require('./store');\nmodule.exports.kit = function () { store.haul(); };\n",
        "src/app.js": (
            "import { Shop, carry, lock, kit } from './index';\nimport * as all from '.';\n\n"
            "export function main() {\n  const s = new Shop();\n  s.run();\n  s.open();\n  s.base();\n"
            "  carry();\n  lock();\n  all.free();\n  kit.kit();\n}\n"
        ),
    },
    "java": {
        "src/app/Base.java": (
            "package app;\n\npublic class Base implements Kept {\n  public void lock() {}\n"
            "  public static Base open() { return new Base(); }\n"
            "  static class Inner extends Base { void in() {} }\n}\n"
        ),
        "src/app/Kept.java": "package app;\n\ninterface Kept {\n  void lock();\n  default void keep() { lock(); }\n}\n",
        "src/app/Store.java": (
            "package app;\n\nimport static app.tools.Helper.free;\nimport app.tools.*;\n\n"
            "public class Store extends Base.Inner {\n  Helper helper;\n"
            "  void haul(Helper aid) { aid.help(); helper.lock(); keep(); in(); free(); super.lock(); }\n"
            "}\n"
        ),
        "src/app/tools/Helper.java": (
            "package app.tools;\n\nimport app.Base;\n\npublic class Helper extends Base {\n"
            "  public void help() {}\n  public static void free() {}\n}\n"
        ),
        "src/Main.java": (
            "import app.Store;\nimport app.tools.Helper;\n\nclass Main {\n"
            "  void run(Helper helper, Store store) {\n    Store s = new Store();\n    s.haul(helper);\n"
            "    s.lock();\n    s.keep();\n    store.in();\n    helper.keep();\n    Store.open();\n  }\n}\n"
        ),
    },
    "php": {
        "src/Base.php": (
            "<?php\nnamespace App;\n\nabstract class Base implements Kept\n{\n"
            "    public function lock() {}\n    public static function open() { return new static(); }\n}\n"
        ),
        "src/Kept.php": "<?php\nnamespace App;\n\ninterface Kept\n{\n    public function lock();\n}\n",
        "src/Store.php": (
            "<?php\nnamespace App;\n\nuse App\\Tools\\Helper as Aid;\n\nclass Store extends Base\n{\n"
            "    use Loads;\n"
            "    public function haul(Aid $aid) { $aid->help(); $this->lock(); self::open(); parent::lock(); }\n"
            "}\n"
        ),
        "src/Loads.php": "<?php\nnamespace App;\n\ntrait Loads\n{\n    public function load() { $this->lock(); }\n}\n",
        "src/Tools/Helper.php": (
            "<?php\nnamespace App\\Tools;\n\nclass Helper extends \\App\\Base\n{\n    public function help() {}\n}\n"
        ),
        "src/main.php": (
            "<?php\nuse App\\Store;\nuse App\\Tools\\Helper;\n\nfunction main(Helper $helper) {\n"
            "    $s = new Store();\n    $s->haul($helper);\n    $s->lock();\n    Store::open();\n"
            "    $helper->lock();\n    Helper::open();\n}\n"
        ),
    },
    "c#": {
        "Base.cs": (
            "namespace App;\n\npublic interface IKept { void Lock(); }\n\npublic class Base : IKept\n{\n"
            "    public void Lock() { }\n    public static Base Open() { return new Base(); }\n}\n"
        ),
        "Store.cs": (
            "namespace App;\n\npublic class Store : Base\n{\n"
            "    public void Haul(Helper helper) { helper.Help(); Lock(); Open(); }\n}\n"
        ),
        "Helper.cs": (
            "namespace App.Tools;\n\npublic class Helper : Base\n{\n    public void Help() { }\n}\n\n"
            "public static class More\n{\n    public static void Extra(this Store s) { s.Lock(); }\n}\n"
        ),
        "Main.cs": (
            "using App;\nusing App.Tools;\n\nclass Program\n{\n    static void Main(Helper helper)\n    {\n"
            "        var s = new Store();\n        s.Haul(helper);\n        s.Lock();\n"
            "        Store.Open();\n        helper.Lock();\n    }\n}\n"
        ),
    },
    "go": {
        "go.mod": "module example.com/tool\n",
        "base/base.go": (
            "package base\n\ntype Kept interface {\n\tLock()\n}\n\ntype Base struct{ Kept }\n\n"
            "func (b Base) Open() { b.Lock() }\n\nfunc New() Base { return Base{} }\n"
        ),
        "store/store.go": (
            'package store\n\nimport b "example.com/tool/base"\n\ntype Store struct {\n\tb.Base\n}\n\n'
            "func (s *Store) Haul(other, more b.Base) {\n\ts.Open()\n\tother.Open()\n\tmore.Lock()\n"
            "\thelp()\n\tb.New()\n}\n"
        ),
        "store/help.go": "package store\n\nfunc help() {}\n\ntype Alias = Store\n",
        "main.go": (
            'package main\n\nimport (\n\t"example.com/tool/base"\n\t"example.com/tool/store"\n)\n\n'
            "func run(s *store.Store, x base.Base) {\n\ts.Haul(x, x)\n\ts.Open()\n\tx.Open()\n\ts.Lock()\n"
            "}\n"
        ),
    },
    "c++": {
        "base.h": (
            "namespace st {\ntemplate <class T>\nclass Base {\n public:\n  void Lock();\n"
            "  static Base Open();\n};\nclass Kept : public Base<int> {\n public:\n"
            "  virtual void Keep() { Lock(); }\n};\n}\n"
        ),
        "store.h": (
            '#include "base.h"\nnamespace st {\nclass Store : public Kept {\n public:\n'
            "  int Haul(Kept& kept);\n  struct In : Store { void Go(); };\n};\nusing Shop = Store;\n}\n"
        ),
        "store.cc": (
            '#include "store.h"\n\nint st::Store::Haul(Kept& kept) {\n  kept.Keep();\n  Keep();\n'
            "  Lock();\n  Store::In in;\n  in.Go();\n  return 1;\n}\n"
            "void st::Store::In::Go() { Haul(*this); Base::Open(); }\n"
        ),
        "main.cc": (
            '#include "store.h"\n\nusing st::Store;\n\nvoid run(Store* s, st::Kept& k) {\n  s->Haul(k);\n'
            "  s->Lock();\n  k.Lock();\n  Store::Open();\n  st::Shop shop;\n  shop.Keep();\n}\n"
        ),
    },
    "rust": {
        "tool/src/lib.rs": (
            "#[macro_use]\nmod macros;\nmod store;\npub mod io;\npub use store::Store as Shop;\npub use io::*;\n"
        ),
        "tool/src/macros.rs": (
            "#[macro_export]\nmacro_rules! check_ok {\n    ($e:expr) => { $e };\n}\n\n"
            "macro_rules! cfg_net {\n    ($($item:item)*) => { $($item)* }\n}\n"
        ),
        "tool/src/io/mod.rs": "cfg_net! {\n    mod util;\n    pub use util::{duplex, Pipe as Tube};\n}\n",
        "tool/src/io/util.rs": (
            "use crate::Shop;\n\npub struct Pipe;\n\nimpl Pipe {\n    pub fn make() -> Self { Pipe }\n}\n\n"
            "pub fn duplex(shop: &Shop) {\n    shop.haul();\n    check_ok!(Pipe::make());\n}\n"
        ),
        "tool/src/store.rs": (
            "use crate::io::duplex;\n\npub struct Store;\n\nimpl Store {\n    pub fn haul(&self) { duplex(self); }\n}\n"
        ),
        "user/src/main.rs": (
            "use tool::io::{self, Pipe};\nuse tool::{check_ok, duplex as twin, Shop};\n\nfn main(shop: Shop) {\n"
            "    check_ok!(twin(&shop));\n    io::duplex(&shop);\n    let p = Pipe::make();\n    shop.haul();\n}\n"
        ),
    },
    "ruby": {
        "lib/base.rb": "class Base\n  include Kept\n  def lock; end\n  def self.open; new; end\nend\n",
        "lib/kept.rb": "module Kept\n  def keep\n    lock\n  end\nend\n",
        "lib/store.rb": (
            "require 'base'\n\nclass Store < Base\n  extend Loads\n  def haul(x)\n    keep\n    lock\n"
            "    super\n    Helper.open.help\n  end\nend\n"
        ),
        "lib/helper.rb": (
            "class Helper < Base\n  def help\n    keep\n  end\nend\n\nmodule Loads\n  def load; end\nend\n"
        ),
        "main.rb": (
            "require_relative 'lib/store'\n\ndef main\n  s = Store.new\n  s.haul(1)\n  s.keep\n"
            "  Store.load\n  Store.open\n  h = Helper.new\n  h.lock\nend\n"
        ),
    },
}

_WORD = re.compile(r"[A-Za-z_]\w{2,}")


def _edit(sample: GraphProject, files: dict[str, str], original: Mapping[str, str], chance: random.Random) -> str:
    """Remove or restore a file, or replace a word in it, once or everywhere; return its path."""
    path, kind = chance.choice(sorted(original)), chance.random()
    words = _WORD.findall(files.get(path, ""))
    if path in files and kind < 0.12:
        sample.remove(path)
        del files[path]
        return path
    if not words or kind < 0.2:
        files[path] = original[path]
    else:
        word = chance.choice(words)
        other = chance.choice(sorted({each for text in original.values() for each in _WORD.findall(text)}))
        found = list(re.finditer(rf"\b{word}\b", files[path]))
        for match in reversed([chance.choice(found)] if kind < 0.7 else found):
            files[path] = files[path][: match.start()] + other + files[path][match.end() :]
    sample.write_file(path, files[path])
    return path


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("language", SOURCES)
def test_replaced_words_give_the_edges_of_a_fresh_index(language: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"{language} {seed}")
    files = dict(SOURCES[language])
    sample = GraphProject(tmp_path / "one", files)
    assert sample.calls()
    for step in range(6):
        if chance.random() < 0.3:
            sample.memory = GraphMemory()  # as after a restart of the indexer
        sample.update(*{_edit(sample, files, SOURCES[language], chance) for _ in range(chance.randrange(1, 3))})
        sample.assert_like_fresh(tmp_path / f"fresh-{step}")
    sample.store.close()


_TYPES = {
    "base.py": "class Base:\n    def lock(self): ...\n\n\nclass Other: ...\n",
    "store.py": "from base import Base\n\n\nclass Store(Base): ...\n\n\nclass Shop(Store): ...\n",
    "names.py": "from store import Store as Kept\n",
    "direct.py": "from store import Store\n\n\ndef direct():\n    s = Store()\n    s.lock()\n",
    "derived.py": "from store import Shop\n\n\ndef derived(shop: Shop):\n    shop.lock()\n",
    "renamed.py": "from names import Kept\n\n\ndef renamed(kept: Kept):\n    kept.lock()\n",
}
_LOCK = "base.py::Base.lock"


def test_calls_through_a_type_with_other_bases_are_linked_again(tmp_path: Path) -> None:
    """Check this where the type, one that inherits from it, or another name of it is used."""
    sample = GraphProject(tmp_path / "one", _TYPES)
    calls = {f"{name}.py::{name} > {_LOCK} (exact)" for name in ("direct", "derived", "renamed")}
    assert calls <= sample.calls()
    sample.write_file("store.py", _TYPES["store.py"].replace("Store(Base)", "Store(Other)"))
    sample.update("store.py")
    assert not any(_LOCK in call for call in sample.calls())
    sample.assert_like_fresh(tmp_path / "fresh")
    sample.write_file("store.py", _TYPES["store.py"])
    sample.update("store.py")
    assert calls <= sample.calls()
    sample.store.close()


def test_calls_through_a_type_whose_base_is_removed_are_linked_again(tmp_path: Path) -> None:
    files = {
        "root.py": "class Root:\n    def lock(self): ...\n",
        "middle.py": "from root import Root\n\n\nclass Middle(Root): ...\n",
        "leaf.py": "from middle import Middle\n\n\nclass Leaf(Middle): ...\n",
        "user.py": "from leaf import Leaf\n\n\ndef use(leaf: Leaf):\n    leaf.lock()\n",
    }
    sample = GraphProject(tmp_path / "one", files)
    assert sample.calls() == {"user.py::use > root.py::Root.lock (exact)"}
    sample.remove("middle.py")
    sample.update("middle.py")
    sample.assert_like_fresh(tmp_path / "fresh")
    sample.store.close()


def test_first_wildcard_of_a_file_without_names_reaches_those_who_import_it(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "\n",
        "pkg/tools.py": "def helper(): ...\n",
        "user.py": "from pkg import helper\n\n\ndef use():\n    helper()\n",
    }
    sample = GraphProject(tmp_path / "one", files)
    assert sample.calls() == set()
    files["pkg/__init__.py"] = "from .tools import *\n"
    sample.write_file("pkg/__init__.py", files["pkg/__init__.py"])
    sample.update("pkg/__init__.py")
    assert sample.calls() == {"user.py::use > pkg/tools.py::helper (exact)"}
    sample.assert_like_fresh(tmp_path / "fresh")
    sample.store.close()


def test_name_is_followed_through_a_renaming_import_of_a_file_that_changes_too(tmp_path: Path) -> None:
    files = {
        "store.py": "def old(): ...\n",
        "names.py": "from store import new as kept\n",
        "user.py": "from names import kept\n\n\ndef use():\n    kept()\n",
    }
    sample = GraphProject(tmp_path / "one", files)
    assert sample.calls() == set()
    files |= {"store.py": "def new(): ...\n", "names.py": f"# edited\n{files['names.py']}"}
    sample.write({path: files[path] for path in ("store.py", "names.py")})
    sample.update("store.py", "names.py")
    assert sample.calls() == {"user.py::use > store.py::new (exact)"}
    sample.assert_like_fresh(tmp_path / "fresh")
    sample.store.close()


def test_type_before_two_colons_with_another_base_is_followed(tmp_path: Path) -> None:
    files = {
        "base.h": "class Base {\n public:\n  static void Open();\n};\n",
        "store.h": '#include "base.h"\n\nclass Store : public Base {\n};\n',
        "user.cc": '#include "store.h"\n\nvoid Enter() {\n  Store::Open();\n}\n',
    }
    sample = GraphProject(tmp_path / "one", files)
    assert sample.calls() == {"user.cc::Enter > base.h::Base.Open (exact)"}
    files["store.h"] = files["store.h"].replace("Base", "Other")
    sample.write_file("store.h", files["store.h"])
    sample.update("store.h")
    sample.assert_like_fresh(tmp_path / "fresh")
    sample.store.close()
