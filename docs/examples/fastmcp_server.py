"""Tripbook's document as an MCP server of fastmcp: `pip install 'fastmcp>=4.2'`, then let a client start this file.

`strict_input_validation=True` matters: without it fastmcp drops arguments that it does not know.
"""

import os

import httpx2
from fastmcp import FastMCP

url, token = os.environ["TRIPBOOK_URL"], os.environ["TRIPBOOK_TOKEN"]
http = httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
server = FastMCP.from_openapi(
    openapi_spec=httpx2.get(f"{url}/openapi.json").json(), client=http, name="Tripbook", strict_input_validation=True
)

if __name__ == "__main__":
    server.run(show_banner=False)
