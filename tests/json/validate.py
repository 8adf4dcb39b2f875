#!/usr/bin/env python3
"""Hold JSON against a schema: the part of JSON Schema 2020-12 that schema/json uses, and no more (an unknown keyword is an
error, so that a schema cannot promise what is not checked). Standard library only.

usage: validate.py SCHEMAS FILES      each FILES/NAME/* against SCHEMAS/NAME.schema.json; says where the first difference is"""
import json
import os
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
PLAIN = {"$schema", "$defs", "title", "description"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def check(value, schema, root, at):
    """Where and how value differs from schema, or None."""
    for key, rule in schema.items():
        found = None
        if key in PLAIN or key in ("then", "if"):
            continue
        if key == "type":
            names = rule if isinstance(rule, list) else [rule]
            if not any(is_type(value, n) for n in names):
                found = f"{at}: {value!r} is none of {names}"
        elif key == "const":
            found = None if same(value, rule) else f"{at}: {value!r} is not {rule!r}"
        elif key == "enum":
            found = None if any(same(value, r) for r in rule) else f"{at}: {value!r} is none of {rule}"
        elif key == "pattern":
            found = None if not isinstance(value, str) or re.search(rule, value) else f"{at}: {value!r} does not match {rule}"
        elif key == "required":
            missing = [r for r in rule if isinstance(value, dict) and r not in value]
            found = f"{at}: no {missing}" if missing else None
        elif key == "properties":
            for name, part in rule.items():
                if isinstance(value, dict) and name in value:
                    found = found or check(value[name], part, root, f"{at}.{name}")
        elif key == "additionalProperties":
            for name in value if isinstance(value, dict) else ():
                if name not in schema.get("properties", {}):
                    found = found or (f"{at}: {name} is not known" if rule is False else check(value[name], rule, root, f"{at}.{name}"))
        elif key == "items":
            for i, item in enumerate(value if isinstance(value, list) else ()):
                found = found or check(item, rule, root, f"{at}[{i}]")
        elif key == "uniqueItems":
            found = None if len(set(value)) == len(value) else f"{at}: items repeat"
        elif key == "allOf":
            for part in rule:
                found = found or check(value, part, root, at)
        elif key == "$ref":
            part = root
            for name in rule.lstrip("#/").split("/"):
                part = part[name]
            found = check(value, part, root, at)
        else:
            raise SystemExit(f"validate.py: keyword {key} is not known")
        if found:
            return found
    if "if" in schema and check(value, schema["if"], root, at) is None:
        return check(value, schema.get("then", {}), root, at)
    return None


def differs(path, schema):
    try:
        value = json.load(open(path, encoding="utf-8"))
    except ValueError as e:
        return f"no JSON: {e}"
    found = check(value, schema, schema, "$")
    if not found and "columns" in value and any(list(r) != value["columns"] for r in value["rows"]):
        found = "$.rows: a row's keys are not the columns"
    return found


def main():
    good = bad = 0
    for name in os.listdir(sys.argv[2]):
        schema = json.load(open(os.path.join(sys.argv[1], name + ".schema.json"), encoding="utf-8"))
        for file in sorted(os.listdir(os.path.join(sys.argv[2], name))):
            why = differs(os.path.join(sys.argv[2], name, file), schema)
            good, bad = good + (not why), bad + bool(why)
            if why:
                print(f"json: {file}: {why}")
    print(f"json: {good} passed, {bad} failed")
    sys.exit(bad > 0 or not good)


if __name__ == "__main__":
    main()
