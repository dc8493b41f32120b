"""docs/ops.md is what `tenfold help --ops` prints."""

from conftest import ROOT, tenfold


def test_page_is_the_table():
    printed = tenfold("help", "--ops")
    assert printed.code == 0
    assert printed.out == (ROOT / "docs" / "ops.md").read_text()
    assert "| `stablehlo.convolution` | 2: " in printed.out
