"""Name resolution by language: small projects with all their graph edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.index.graph.file_view import parameter_types
from tests.sample.graph import GraphProject

SAMPLES: dict[str, tuple[dict[str, str], set[str], set[str]]] = {
    "python": (
        {
            "pkg/__init__.py": "from .store import Store as Shop\nfrom .tools import *\n",
            "pkg/store.py": (
                "from .base import Base\n\n\nclass Store(Base):\n    def get(self):\n        self.lock()\n"
                "        return len(self.load())\n\n    def load(self):\n        return super().load()\n"
            ),
            "pkg/base.py": (
                "class Base:\n    def lock(self): ...\n\n    def load(self): ...\n\n    def len(self): ...\n"
            ),
            "pkg/tools.py": (
                "import json as j\n\n\ndef dumps(x):\n    return j.dumps(helper(x))\n\n\ndef helper(x): ...\n"
            ),
            "app.py": (
                "import pkg\nimport pkg.tools as t\nfrom pkg import Shop, helper\n\n\ndef main(callback):\n"
                "    s = Shop()\n    s.lock()\n    s.get()\n    t.dumps(helper(1))\n    callback()\n    pkg.dumps(2)\n"
                "    unknown()\n\n\ndef callback(): ...\n"
            ),
        },
        {
            "pkg/store.py::Store.get > pkg/base.py::Base.lock (exact)",
            "pkg/store.py::Store.get > pkg/store.py::Store.load (exact)",
            "pkg/store.py::Store.load > pkg/base.py::Base.load (exact)",
            "pkg/tools.py::dumps > pkg/tools.py::helper (exact)",
            "app.py::main > pkg/store.py::Store (exact)",
            "app.py::main > pkg/store.py::Store.get (exact)",
            "app.py::main > pkg/base.py::Base.lock (exact)",
            "app.py::main > pkg/tools.py::dumps (exact)",
            "app.py::main > pkg/tools.py::helper (exact)",
        },
        {"pkg/store.py::Store > pkg/base.py::Base (exact)"},
    ),
    "lua": (
        {
            "lua/pick.lua": (
                "local Pick = {}\nlocal H = {}\n\nPick.start = function(opts)\n  return H.make(opts)\nend\n\n"
                "H.make = function(opts)\n  return Pick.start(opts)\nend\n\n"
                "return Pick\n"
            ),
            "lua/extra.lua": (
                "local pick = require('pick')\nlocal H = {}\n\nfunction H.files()\n  pick.start({})\n  H.make()\nend\n"
            ),
        },
        {
            "lua/pick.lua::Pick.start > lua/pick.lua::H.make (exact)",
            "lua/pick.lua::H.make > lua/pick.lua::Pick.start (exact)",
            "lua/extra.lua::H.files > lua/pick.lua::Pick.start (exact)",
        },
        set(),
    ),
    "typescript": (
        {
            "src/index.ts": "export { Store as Shop } from './store';\nexport * from './tools';\n",
            "src/base.ts": "export interface Kept {}\nexport abstract class Base {\n  open(): void {}\n}\n",
            "src/store.ts": (
                "import { Base, type Kept } from './base';\nexport class Store extends Base implements Kept {\n"
                "  find(x: string) {\n    this.open();\n    return this.walk(x);\n  }\n"
                "  walk(x: string) { return x; }\n}\n"
            ),
            "src/tools.ts": (
                "export function walkAll(x: number) { return x; }\nexport const map = () => { return 1; };\n"
            ),
            "src/app.ts": (
                "import { Shop, walkAll as all } from './index';\nimport * as tools from './tools';\n"
                "import { map } from 'lodash';\n\nexport function main(next: () => void) {\n  const s = new Shop();\n"
                "  s.walk('a');\n  all(1);\n  tools.map();\n  map();\n  next();\n}\n"
            ),
        },
        {
            "src/store.ts::Store.find > src/base.ts::Base.open (exact)",
            "src/store.ts::Store.find > src/store.ts::Store.walk (exact)",
            "src/app.ts::main > src/store.ts::Store (exact)",
            "src/app.ts::main > src/store.ts::Store.walk (exact)",
            "src/app.ts::main > src/tools.ts::walkAll (exact)",
            "src/app.ts::main > src/tools.ts::map (exact)",
        },
        {"src/store.ts::Store > src/base.ts::Base (exact)", "src/store.ts::Store > src/base.ts::Kept (exact)"},
    ),
    "go": (
        {
            "go.mod": "module example.com/tool\n",
            "main.go": (
                'package main\n\nimport (\n\t"fmt"\n\tst "example.com/tool/store"\n)\n\nfunc main() {\n\tfmt.Open()\n'
                "\ts := st.Open()\n\ts.Haul()\n\trun(nil)\n}\n"
            ),
            "run.go": "package main\n\nfunc run(next func()) {\n\tnext()\n}\n",
            "store/store.go": (
                "package store\n\ntype Base struct{}\n\ntype Store struct {\n\tBase\n}\n\nfunc Open() *Store {\n"
                "\treturn &Store{}\n}\n\nfunc (s *Store) Haul() {\n\thelp()\n}\n"
            ),
            "store/help.go": "package store\n\nfunc help() {}\n",
            "other/help.go": "package other\n\nfunc help() {}\n\nfunc next() {}\n",
        },
        {
            "main.go::main > store/store.go::Open (exact)",
            "main.go::main > store/store.go::Store.Haul (by name)",
            "main.go::main > run.go::run (exact)",
            "store/store.go::Open > store/store.go::Store (exact)",
            "store/store.go::Store.Haul > store/help.go::help (exact)",
        },
        {"store/store.go::Store > store/store.go::Base (exact)"},
    ),
    "rust": (
        {
            "src/lib.rs": "mod store;\nmod tools;\nuse store::Store;\n\npub fn main() {\n    let s = Store::new();\n"
            "    tools::walk();\n    s.unwrap();\n    s.haul();\n}\n",
            "src/tools.rs": "pub fn walk() {\n    unwrap();\n}\n\nfn unwrap() {}\n",
            "src/store.rs": (
                "use crate::tools::walk as go;\npub trait Kept {\n    fn keep(&self);\n}\n\npub struct Store {}\n\n"
                "impl Store {\n    pub fn new() -> Self {\n        Self::empty()\n    }\n    fn empty() -> Self {\n"
                "        go();\n        Store {}\n    }\n    pub fn haul(&self) {\n        self.keep();\n    }\n"
                "    pub fn unwrap(&self) {}\n}\n\nimpl Kept for Store {\n    fn keep(&self) {}\n}\n"
            ),
        },
        {
            "src/lib.rs::main > src/store.rs::Store.new (exact)",
            "src/lib.rs::main > src/tools.rs::walk (exact)",
            "src/lib.rs::main > src/store.rs::Store.haul (exact)",
            "src/lib.rs::main > src/store.rs::Store.unwrap (exact)",
            "src/tools.rs::walk > src/tools.rs::unwrap (exact)",
            "src/store.rs::Store.new > src/store.rs::Store.empty (exact)",
            "src/store.rs::Store.empty > src/tools.rs::walk (exact)",
            "src/store.rs::Store.empty > src/store.rs::Store (exact)",
            "src/store.rs::Store.haul > src/store.rs::Store.keep (exact)",
        },
        {"src/store.rs::Store > src/store.rs::Kept (exact)"},
    ),
    "java": (
        {
            "src/app/Main.java": (
                "package app;\nimport app.store.Store;\nimport java.util.List;\n\nclass Main extends Tool {\n"
                "  void run() {\n    Store s = new Store();\n    s.haul();\n    help();\n    local();\n    List.of();\n"
                "    Store.open();\n    Peer.go();\n  }\n  void local() {}\n}\n"
            ),
            "src/app/Tool.java": "package app;\n\nclass Tool {\n  void help() {}\n}\n",
            "src/app/Peer.java": "package app;\n\nclass Peer {\n  static void go() {}\n}\n",
            "src/app/store/Store.java": (
                "package app.store;\n\npublic class Store {\n  public void haul() {}\n  public static void open() {}\n"
                "  void of() {}\n}\n"
            ),
        },
        {
            "src/app/Main.java::Main.run > src/app/store/Store.java::Store (exact)",
            "src/app/Main.java::Main.run > src/app/store/Store.java::Store.haul (exact)",
            "src/app/Main.java::Main.run > src/app/store/Store.java::Store.open (exact)",
            "src/app/Main.java::Main.run > src/app/Tool.java::Tool.help (exact)",
            "src/app/Main.java::Main.run > src/app/Main.java::Main.local (exact)",
            "src/app/Main.java::Main.run > src/app/Peer.java::Peer.go (exact)",
        },
        {"src/app/Main.java::Main > src/app/Tool.java::Tool (exact)"},
    ),
    "c++": (
        {
            "store/store.h": (
                "namespace st {\nclass Base {\n public:\n  void Lock();\n};\nclass Store : public Base {\n"
                " public:\n  int Haul(int key);\n};\nvoid Help(int x);\n}\n"
            ),
            "store/store.cc": (
                '#include "store/store.h"\n\nnamespace st {\nvoid Base::Lock() {}\nvoid Help(int x) {}\n'
                "int Store::Haul(int key) {\n  Lock();\n  Help(key);\n  return key;\n}\n}\n"
            ),
            "main.cc": (
                '#include "store/store.h"\n#include <vector>\n\nint main() {\n  st::Store s;\n'
                "  s.Haul(1);\n  st::Help(2);\n  return 0;\n}\n"
            ),
        },
        {
            "store/store.cc::st.Store.Haul > store/store.h::st.Base.Lock (exact)",
            "store/store.cc::st.Store.Haul > store/store.cc::st.Base.Lock (exact)",
            "store/store.cc::st.Store.Haul > store/store.cc::st.Help (exact)",
            "main.cc::main > store/store.h::st.Help (exact)",
            "main.cc::main > store/store.cc::st.Help (exact)",
            "main.cc::main > store/store.h::st.Store.Haul (by name)",
            "main.cc::main > store/store.cc::st.Store.Haul (by name)",
        },
        {"store/store.h::st.Store > store/store.h::st.Base (exact)"},
    ),
    "ruby": (
        {
            "lib/web/store.rb": (
                "require_relative 'base'\n\nmodule Web\n  class Store < Base\n    include Kept\n\n    def haul(key)\n"
                "      lock(key)\n      @cache.warm_up(key)\n      puts(key)\n    end\n  end\nend\n"
            ),
            "lib/web/base.rb": (
                "module Web\n  module Kept\n    def puts(x)\n    end\n  end\n\n  class Base\n"
                "    def lock(key)\n    end\n"
                "  end\nend\n"
            ),
            "lib/web/cache.rb": (
                "module Web\n  class Cache\n    def warm_up(key)\n      Store.new(key)\n    end\n  end\nend\n"
            ),
        },
        {
            "lib/web/store.rb::Web.Store.haul > lib/web/base.rb::Web.Base.lock (exact)",
            "lib/web/store.rb::Web.Store.haul > lib/web/base.rb::Web.Kept.puts (exact)",
            "lib/web/store.rb::Web.Store.haul > lib/web/cache.rb::Web.Cache.warm_up (by name)",
            "lib/web/cache.rb::Web.Cache.warm_up > lib/web/store.rb::Web.Store (exact)",
        },
        {
            "lib/web/store.rb::Web.Store > lib/web/base.rb::Web.Base (exact)",
            "lib/web/store.rb::Web.Store > lib/web/base.rb::Web.Kept (exact)",
        },
    ),
}


SAMPLES["components"] = (
    {
        "src/user-card.vue": "<script setup>\nimport { greet } from './greet'\ngreet()\n</script>\n"
        "<template><Icon /></template>\n",
        "src/Icon.svelte": "<svg />\n",
        "src/greet.js": "export default function salute() {}\nexport function greet() {}\n",
        "src/App.vue": "<template>\n  <Card />\n</template>\n<script>\nimport Card from './user-card.vue'\n"
        "function start() { greet() }\n</script>\n",
        "src/greet2.js": "import greet2 from './salute'\ngreet2()\n",
        "src/salute.js": "export default function salute() {}\n",
    },
    {
        "src/App.vue::App > src/user-card.vue::user-card (exact)",
        "src/user-card.vue::user-card > src/Icon.svelte::Icon (by name)",
        "src/user-card.vue::user-card > src/greet.js::greet (exact)",
        "src/greet2.js#L1-L2 > src/salute.js::salute (by name)",
    },
    set(),
)


SAMPLES["java packages in several source roots"] = (
    {
        "lib/src/main/java/till/Till.java": "package till;\n\npublic class Till {\n"
        + "".join(f"  public void ring(int a{n}) {{}}\n" for n in range(8))
        + "  public static class Drawer {\n    public void slide() {}\n  }\n}\n",
        "lib/src/test/java/till/TillTest.java": (
            "package till;\n\npublic class TillTest {\n  private final Till till = make();\n  private Other other;\n\n"
            "  public void rings() {\n    till.ring(1);\n    new Till.Drawer().slide();\n    other.ring(2);\n  }\n\n"
            "  public void takes(Other till) {\n    till.ring(3);\n  }\n}\n"
        ),
    },
    {
        *(
            f"lib/src/test/java/till/TillTest.java::TillTest.rings > lib/src/main/java/till/Till.java::Till.ring{again}"
            " (ambiguous)"
            for again in ("", *(f"~{n}" for n in range(2, 9)))
        ),
        "lib/src/test/java/till/TillTest.java::TillTest.rings >"
        " lib/src/main/java/till/Till.java::Till.Drawer (by name)",
        "lib/src/test/java/till/TillTest.java::TillTest.rings > lib/src/main/java/till/Till.java::Till.Drawer.slide"
        " (by name)",
    },
    set(),
)
SAMPLES["rust names that macros define or export"] = (
    {
        "tool/src/lib.rs": "#[macro_use]\nmod macros;\npub mod io;\n",
        "tool/src/macros.rs": (
            "#[macro_export]\nmacro_rules! check_ok {\n    ($e:expr) => { $e };\n}\n\n"
            "macro_rules! cfg_net {\n    ($($item:item)*) => { $($item)* }\n}\n"
        ),
        "tool/src/io/mod.rs": (
            "cfg_net! {\n    mod util;\n    pub use util::duplex;\n}\n\nfn inner() {\n    cfg_net!();\n}\n"
        ),
        "tool/src/io/util.rs": "pub fn duplex() {}\n",
        "tool/src/other.rs": "pub fn elsewhere() {}\n",
        "user/src/main.rs": (
            "use tool::check_ok;\nuse tool::io::{self, duplex, elsewhere};\n\nfn main() {\n    check_ok!(duplex());\n"
            "    io::duplex();\n    elsewhere();\n    cfg_net!();\n}\n"
        ),
    },
    {
        "user/src/main.rs::main > tool/src/macros.rs::check_ok (by name)",
        "user/src/main.rs::main > tool/src/io/util.rs::duplex (by name)",
        "tool/src/io/mod.rs::inner > tool/src/macros.rs::cfg_net (by name)",
        "tool/src/io/mod.rs#L1-L3 > tool/src/macros.rs::cfg_net (by name)",
    },
    set(),
)
SAMPLES["rust calls in macros"] = (
    {
        "src/lib.rs": (
            "pub struct Ring { open: bool }\n\nimpl Ring {\n    pub fn is_shut(&self) -> bool { !self.open }\n\n"
            '    fn check(&self) {\n        assert!(self.is_shut(), "{}", named(1));\n    }\n}\n\n'
            "fn named(n: u8) -> u8 { n }\n\n"
            "fn list() -> Vec<u8> {\n    let named = [1];\n    vec![named[0]; 2]\n}\n"
        ),
    },
    {
        "src/lib.rs::Ring.check > src/lib.rs::Ring.is_shut (exact)",
        "src/lib.rs::Ring.check > src/lib.rs::named (exact)",
    },
    set(),
)
SAMPLES["python imports of one name in several functions"] = (
    {
        "app.py": (
            "from lamps import glow\n\n\ndef client():\n    from harbor import Client as cls\n"
            "    return cls()\n\n\ndef runner():\n    from harbor import Runner as cls\n    return cls()\n\n\n"
            "def shine():\n    from lamps import glow\n    glow()\n\n\n"
            "def copy():\n    try:\n        from harbor import fast as haul\n    except ImportError:\n"
            "        from shutil import copy as haul\n    haul()\n"
        ),
        "harbor.py": "class Client: ...\n\n\nclass Runner: ...\n\n\ndef fast(): ...\n",
        "lamps.py": "def glow(): ...\n",
    },
    {
        *(
            f"app.py::{function} > harbor.py::{name} (ambiguous)"
            for function in ("client", "runner")
            for name in ("Client", "Runner")
        ),
        "app.py::copy > harbor.py::fast (ambiguous)",
        "app.py::shine > lamps.py::glow (exact)",
    },
    set(),
)

SAMPLES["kotlin packages in folders of other names"] = (
    {
        "common/src/Store.kt": (
            "package app\n\nclass Store {\n    fun haul() { lift() }\n}\n\nfun lift() {}\n\n"
            "fun Store.extend() { lift() }\n"
        ),
        "jvm/src/More.kt": "package app\n\nfun more(store: Store) {\n    lift()\n    store.haul()\n}\n",
        "tools/src/Tools.kt": (
            "package app.tools\n\nimport app.Store\nimport app.extend\n\nfun tool(store: Store) {\n"
            "    store.haul()\n    with(store) { extend() }\n}\n"
        ),
        "test/All.kt": (
            "package check\n\nimport app.*\nimport app.tools.*\n\nfun all() {\n    lift()\n    tool(Store())\n}\n"
        ),
        "test/None.kt": "package check\n\nimport other.lift\n\nfun none() {\n    lift()\n}\n",
    },
    {
        "common/src/Store.kt::Store.haul > common/src/Store.kt::lift (exact)",
        "common/src/Store.kt::extend > common/src/Store.kt::lift (exact)",
        "jvm/src/More.kt::more > common/src/Store.kt::lift (exact)",
        "jvm/src/More.kt::more > common/src/Store.kt::Store.haul (exact)",
        "tools/src/Tools.kt::tool > common/src/Store.kt::Store.haul (exact)",
        "tools/src/Tools.kt::tool > common/src/Store.kt::extend (exact)",
        "test/All.kt::all > common/src/Store.kt::lift (exact)",
        "test/All.kt::all > tools/src/Tools.kt::tool (exact)",
        "test/All.kt::all > common/src/Store.kt::Store (exact)",
    },
    set(),
)
SAMPLES["scala packages in clauses, renamed imports"] = (
    {
        "core/Base.scala": "package app\n\nclass Base {\n  def lift() = {}\n}\n",
        "core/Store.scala": "package app\npackage data\n\nclass Store extends Base {\n  def haul() = lift()\n}\n",
        "test/Main.scala": (
            "package check\n\nimport app.data.{Store => Shop, _}\nimport app._\n\nobject Main {\n"
            "  def main(shop: Shop, root: Base) = {\n    shop.haul()\n    root.lift()\n  }\n}\n"
        ),
    },
    {
        "core/Store.scala::Store.haul > core/Base.scala::Base.lift (exact)",
        "test/Main.scala::Main.main > core/Store.scala::Store.haul (exact)",
        "test/Main.scala::Main.main > core/Base.scala::Base.lift (exact)",
    },
    {"core/Store.scala::Store > core/Base.scala::Base (exact)"},
)
SAMPLES["haskell names of modules that are exported again"] = (
    {
        "src/App.hs": "module App (module App.Tools) where\n\nimport App.Tools\n",
        "src/App/Tools.hs": "module App.Tools where\n\nhaulAll :: Int -> Int\nhaulAll x = x\n",
        "app/Main.hs": "module Main where\n\nimport App\n\nmain :: IO ()\nmain = print (haulAll 1)\n",
    },
    {"app/Main.hs::main > src/App/Tools.hs::haulAll (by name)"},
    set(),
)
SAMPLES["zig constants that hold files"] = (
    {
        "src/main.zig": (
            'const tools = @import("tools.zig");\nconst Store = @import("store.zig").Store;\n\npub fn main() void {\n'
            "    tools.carry();\n    _ = Store.make();\n}\n"
        ),
        "src/tools.zig": "pub fn carry() void {}\n",
        "src/store.zig": "pub const Store = struct {\n    pub fn make() Store { return .{}; }\n};\n",
    },
    {
        "src/main.zig::main > src/tools.zig::carry (exact)",
        "src/main.zig::main > src/store.zig::Store.make (exact)",
    },
    set(),
)
SAMPLES["javascript arrows, aliases of roots, sources of packages"] = (
    {
        "packages/tool/package.json": '{"name": "@app/tool"}\n',
        "packages/tool/haul.d.ts": "export * from './dist/haul.js'\n",
        "packages/tool/src/haul.ts": "export function haulAll() {}\n",
        "packages/web/client/parts/menu.ts": "export function openMenu() {}\n",
        "packages/web/client/pages/home.ts": (
            "import { openMenu } from '~/parts/menu'\nimport { haulAll } from '@app/tool/haul'\n\n"
            "const fetchCart = id => ({ id })\n\n"
            "export const loadCart =\n  (id, next) =>\n  (dispatch, state) =>\n    dispatch(fetchCart(next(id)))\n\n"
            "export const home = () => openMenu(haulAll())\n"
        ),
    },
    {
        "packages/web/client/pages/home.ts::loadCart > packages/web/client/pages/home.ts::fetchCart (exact)",
        "packages/web/client/pages/home.ts::home > packages/web/client/parts/menu.ts::openMenu (exact)",
        "packages/web/client/pages/home.ts::home > packages/tool/src/haul.ts::haulAll (exact)",
    },
    set(),
)
SAMPLES["c# ref partial structs"] = (
    {
        "Reader.cs": "namespace App;\n\npublic ref partial struct Reader\n{\n    int ReadAll() { return 1; }\n}\n",
        "Use.cs": "namespace App;\n\nclass Use\n{\n    int Run(ref Reader reader) => reader.ReadAll();\n}\n",
    },
    {"Use.cs::Use.Run > Reader.cs::Reader.ReadAll (by name)"},
    set(),
)


@pytest.mark.parametrize("language", SAMPLES)
def test_names_resolve_by_language_rules(language: str, tmp_path: Path) -> None:
    files, calls, bases = SAMPLES[language]
    sample = GraphProject(tmp_path / "project", files)
    assert sample.calls() == calls
    assert sample.bases() == bases
    sample.store.close()


ROUTER = {
    "go.mod": "module example.com/chi\n",
    "mux.go": (
        'package chi\n\nimport "net/http"\n\ntype HandlerFunc func()\n\ntype Mux struct{}\n\n'
        "func (mx *Mux) Handle(pattern string, fn http.HandlerFunc) {\n\tfn = http.HandlerFunc(fn)\n}\n\n"
        "func (mx *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n"
        "\trctx, ok := mx.pool.Get().(*Context)\n\trctx.Reset()\n\tr.Reset()\n}\n\n"
        "func reuse(a, rctx *Context) {\n\tif rctx != nil {\n\t\trctx.Reset()\n\t}\n}\n\n"
        "func other() {\n\trctx := unknown()\n\trctx.Reset()\n}\n"
    ),
    "context.go": "package chi\n\ntype Context struct{}\n\nfunc (x *Context) Reset() {}\n",
    "more.go": (
        "package chi\n\nfunc make() {\n\tx := NewContext()\n\tx.Reset()\n\tvar y Context\n\ty.Reset()\n}\n\n"
        "func after() {\n\tx.Reset()\n}\n\nfunc NewContext() *Context { return nil }\n"
    ),
}


@pytest.mark.acceptance("N3")
def test_calls_count_qualifiers_imports_and_evident_receiver_types(tmp_path: Path) -> None:
    sample = GraphProject(tmp_path / "project", ROUTER)
    assert sample.calls() == {
        "mux.go::Mux.ServeHTTP > context.go::Context.Reset (exact)",
        "mux.go::reuse > context.go::Context.Reset (exact)",
        "more.go::make > context.go::Context.Reset (exact)",
        "more.go::make > more.go::NewContext (exact)",
    }
    sample.store.close()


@pytest.mark.parametrize(
    ("signature", "name_first", "types"),
    [
        (
            "func (m *Mux) f(a, b *Context, r *http.Request) error",
            True,
            {"m": "Mux", "a": "Context", "r": "http.Request"},
        ),
        (
            "def f(self, cart: 'Cart', other: shop.Cart = None, n: int = 1)",
            False,
            {"cart": "Cart", "other": "shop.Cart"},
        ),
        ("f(a: Cart, b?: Map<string, Cart>, c: () => Cart)", False, {"a": "Cart", "b": "Map"}),
        ("fn f(&self, c: &mut Cart, d: Vec<Cart>)", False, {"c": "Cart", "d": "Vec"}),
        ("void f(final Cart cart, Map<String, Cart> m, int n)", False, {"cart": "Cart", "m": "Map"}),
        ("int f(const shop::Cart& cart)", False, {"cart": "shop.Cart"}),
        ("f(", False, {}),
        (")(", True, {}),
        ("", False, {}),
    ],
)
def test_parameter_types_are_read_from_signatures(signature: str, types: dict[str, str], *, name_first: bool) -> None:
    found = parameter_types(signature, name_first=name_first)
    assert {name: ".".join(words) for name, words in found.items() if name in types} == types
    assert not {"n", "self"} & found.keys()
