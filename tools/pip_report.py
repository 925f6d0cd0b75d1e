# SPDX-License-Identifier: Apache-2.0
"""Reads what `pip install --dry-run --report -` would install and prints it on one line."""

import json
import sys

print(
    " ".join(
        f"{item['metadata']['name']}=={item['metadata']['version']}"
        for item in json.load(sys.stdin)["install"]
    )
)
