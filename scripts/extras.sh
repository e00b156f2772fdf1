# Name the extras that the checks and the tests install: sourced by scripts/check and scripts/test.
extras="--extra test --extra redis --extra queue --extra web --extra fetch --extra browser --extra desktop --extra mcp --extra neo4j --extra faiss --extra anthropic --extra notify"
