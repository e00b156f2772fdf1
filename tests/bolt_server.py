"""A real server that speaks Bolt, for the tests of the graph in Neo4j: `python tests/bolt_server.py
FOLDER PORT HTTP`.

It is ArcadeDB from the package arcadedb-embedded (scripts/setup --extra bolt), in a process of its
own. It says "ready", and ends when its input does.
"""

import sys
from importlib import import_module
from pathlib import Path

PASSWORD = "a-password-of-the-tests"
DATABASE = "neo4j"


def main() -> None:
    """Run it."""
    folder, port, http = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    server = import_module("arcadedb_embedded").ArcadeDBServer(
        folder,
        PASSWORD,
        config={
            "host": "127.0.0.1",
            "http_port": http,
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": port,
            "bolt_defaultDatabase": DATABASE,
        },
        jvm_kwargs={"heap_size": "256m"},
    )
    server.start()
    is_there = (Path(folder) / "databases" / DATABASE).is_dir()  # what a killed server left
    (server.get_database if is_there else server.create_database)(DATABASE)
    sys.stdout.write("\nready\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
