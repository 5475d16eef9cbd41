"""What an agent sees over MCP, one group of tools a file; docs/tools.md is the contract."""
