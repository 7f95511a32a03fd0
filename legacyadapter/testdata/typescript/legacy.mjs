// Drives a server with the official client of revision 2025-11-25 and prints,
// as one line of JSON, what it was asked and what came of it.
//
// usage: node legacy.mjs http URL | node legacy.mjs stdio COMMAND
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { drive, transportFor } from './drive.mjs';

const client = new Client(
    { name: 'typescript', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } }
);
const asked = [];
client.setRequestHandler(ElicitRequestSchema, request => {
    asked.push(request.params.message);
    return request.params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { word: `w${asked.length}` } };
});
client.setRequestHandler(CreateMessageRequestSchema, () => {
    asked.push('sampling');
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'short' } };
});
client.setRequestHandler(ListRootsRequestSchema, () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///a' }] };
});

await client.connect(transportFor(StreamableHTTPClientTransport, StdioClientTransport));
await drive(client, asked, 'legacy', params => client.callTool(params));
