"""JSON schemas of YAML files, for tests: the schemas of the build, and YAML as editors read it."""
import functools
import json
import re

from tap import Skip


@functools.lru_cache(maxsize=None)
def validator(build, kind):
    """The schema KIND.schema.json of the build and its validator."""
    try:
        import jsonschema
        import yaml  # noqa: F401
    except ImportError as error:
        raise Skip('no Python module ' + error.name) from None
    path = build / 'cli' / (kind + '.schema.json')
    if not path.exists():
        raise Skip('built for another processor')
    schema = json.loads(path.read_text(encoding='utf-8'))
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema, jsonschema.Draft202012Validator(schema)


def value(node):
    """A YAML node with the types of YAML 1.2: `off` and `1e3` are as editors read them."""
    import yaml
    if isinstance(node, yaml.MappingNode):
        return {key.value: value(of) for key, of in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [value(one) for one in node.value]
    text = node.value
    if node.style is None and re.fullmatch(r'-?\d+', text):
        return int(text)
    if node.style is None and re.fullmatch(r'-?\d+\.?\d*([eE][-+]?\d+)?', text):
        return float(text)
    return {'true': True, 'false': False, '': None}.get(text, text) if node.style is None else text


def load(text):
    import yaml
    return value(yaml.compose(text))
