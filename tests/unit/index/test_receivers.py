from __future__ import annotations

import pytest

from scry.index.parse.parse import parse

CASES = [
    ("a.py", "self.store.find(1)", "self.store"),
    ("a.py", "find(1)", ""),
    ("a.py", "f(*find(1))", ""),
    ("a.py", "other().find(1)", "?"),
    ("a.py", "other().inner.find(1)", "?"),
    ("a.py", "rows[0].find(1)", "?"),
    ("a.py", "'x'.find(1)", "?"),
    ("a.py", "super().find(1)", "super"),
    ("a.py", "@app.find\ndef f(): ...", "app"),
    ("a.js", "this.find(1)", "self"),
    ("a.js", "[...find(1)]", ""),
    ("a.js", "store?.inner?.find(1)", "store.inner"),
    ("a.js", "store\n  .find(1)", "store"),
    ("a.go", "package a\nfunc f() {\n\tst.Inner.\n\t\tfind(1)\n}", "st.Inner"),
    ("a.rs", "fn f() { Self::find(1); }", "self::"),
    ("a.rs", "fn f() { crate::store::find(1); }", "crate.store::"),
    ("a.rs", "fn f() { for _ in 0..find(1) {} }", ""),
    ("a.cc", "int f() { return this->store->find(1); }", "self.store"),
    ("a.cc", "int f() { return ns::Store::find(1); }", "ns.Store::"),
    ("a.rb", "@store.find(1)", "self.store"),
    ("a.rb", "Web::Store.find(1)", "Web.Store"),
    ("a.php", "<?php $this->store->find(1);", "self.store"),
    ("a.php", "<?php parent::find(1);", "super::"),
    ("a.lua", "local x = store:find(1)", "store"),
]


@pytest.mark.parametrize(("path", "text", "receiver"), CASES)
def test_a_call_says_what_it_stands_on(path: str, text: str, receiver: str) -> None:
    found = [r.receiver for r in parse(path, text).references if r.name == "find"]
    assert found == [receiver]
