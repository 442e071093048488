"""Runs the real consumers: `python -m tests.consumers [--check] [NAME …]`; all of them also write the table.

`--check` fails where the table of `docs/clients.md` is not what was measured, instead of writing it. The whole run is
ended after ten minutes, installing included.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from tests.consumers.environments import ROOT
from tests.consumers.limit import OutOfTime, end_after
from tests.consumers.runs import CONSUMERS, run_consumer
from tests.consumers.table import write_table

LIMIT_SECONDS = 600
PAGE = ROOT / "docs" / "clients.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(one.name for one in CONSUMERS))
    arguments = parser.parse_args()
    results: list[dict[str, Any]] = []
    failed = 0
    chosen = [one for one in CONSUMERS if not arguments.names or one.name in arguments.names]
    end_after(LIMIT_SECONDS)
    for consumer in chosen:
        started = time.monotonic()
        try:
            found = run_consumer(consumer)
        except OutOfTime:
            print(f"FAILED {consumer.name}: ended, all of them may take {LIMIT_SECONDS} s", flush=True)
            return 1
        except Exception as error:  # noqa: BLE001 - one consumer that fails must not hide the others
            failed += 1
            print(f"FAILED {consumer.name}: {error}", flush=True)
            continue
        results += found
        for result in found:
            tokens = f", {result['tokens']} tokens" if "tokens" in result else ""
            print(f"{consumer.name}: {result['client']} {result['version']}: {result.get('seen', 0)} tools{tokens}, "
                  f"loses: {'; '.join(result['loses']) or 'nothing'} ({time.monotonic() - started:.1f} s)",
                  flush=True)  # fmt: skip
    if not arguments.names and not failed and not write_table(PAGE, results, only_check=arguments.check):
        failed += 1
        print("FAILED table: docs/clients.md is not what was measured; run `make test-consumers` and commit it")
    print(f"{len(chosen) - min(failed, len(chosen))} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
