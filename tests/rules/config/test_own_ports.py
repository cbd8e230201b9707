from tests.in_one import in_one_test

from lastro.config.own_ports import own_ports
from lastro.config.settings import read

OTHER = "postgresql://lastro@localhost:6000/lastro"


@in_one_test(
    ("said", "found"),
    [
        ({}, set()),
        ({"LASTRO_DATABASE_URL": OTHER}, {6000}),
        ({"LASTRO_APP_DATABASE_URL": OTHER}, {6000}),
        ({"LASTRO_WORK_DATABASE_URL": OTHER}, {6000}),
        (
            {
                "LASTRO_DATABASE_URL": "postgresql:///lastro?host=/run/pg",
                "LASTRO_APP_DATABASE_URL": "postgresql://lastro_app@localhost/lastro",
                "LASTRO_WORK_DATABASE_URL": "postgresql:///lastro?host=localhost&port=6001",
            },
            {5432, 6001},
        ),
    ],
)
def test_ports_that_no_clients_url_may_reach(said: dict[str, str], found: set[int]) -> None:
    assert own_ports(read({"LASTRO_PORT": "8888", **said})) == {8888, *found}
