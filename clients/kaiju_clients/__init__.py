"""The reference client: plays tasks over MCP and adds up what came of it."""
