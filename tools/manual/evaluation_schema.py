"""Writes the JSON schema of evaluations, as mesonet publishes it."""

import json

from mesonet.evaluation.result import SCHEMA, schema

if __name__ == "__main__":
    SCHEMA.write_text(json.dumps(schema(), indent=1, sort_keys=True) + "\n", "utf-8")
