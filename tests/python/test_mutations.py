"""The breakages that tests must catch are of this project as it stands."""

import re
from collections import Counter

import pytest
import yaml
from mutations import ROOT, Mutation, mutations

LAWS = (
    "nothing vanishes",
    "nothing is altered",
    "any order",
    "incremental = rebuilt",
    "killed anywhere",
)
# A test, by its whole name.
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def unit_tests() -> set[str]:
    found = [
        test["name"]
        for path in (ROOT / "models").rglob("*__unit_tests.yml")
        for test in yaml.safe_load(path.read_text())["unit_tests"]
    ]
    return set(found)


@pytest.mark.parametrize("mutation", mutations(), ids=lambda mutation: mutation.name)
def test_a_mutations_text_stands_once_in_its_file(mutation: Mutation) -> None:
    assert mutation.law in LAWS
    assert (ROOT / mutation.file).read_text().count(mutation.text) == 1
    assert mutation.replacement != mutation.text


def test_the_tests_that_catch_mutations_are_there() -> None:
    known = unit_tests()
    for mutation in mutations():
        for test in mutation.caught_by:
            path, _, name = test.partition("::")
            if mutation.is_for_pytest:
                written = DEFINED.findall((ROOT / path).read_text())
                assert written and (not name or name in written), test
            else:
                assert test in known, test


def test_every_law_is_broken_and_each_mutation_has_a_name_of_its_own() -> None:
    assert {mutation.law for mutation in mutations()} == set(LAWS)
    names = Counter(mutation.name for mutation in mutations())
    assert [name for name, count in names.items() if count > 1] == []
