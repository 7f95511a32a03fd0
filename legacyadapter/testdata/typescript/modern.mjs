// Drives a server with the official client of revision 2026-07-28 and prints,
// as one line of JSON, what it was asked and what came of it.
//
// usage: node modern.mjs http URL | node modern.mjs stdio COMMAND
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive, transportFor } from './drive.mjs';

const client = new Client(
    { name: 'typescript', version: '1' },
    {
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
        versionNegotiation: { mode: process.argv[4] === 'auto' ? 'auto' : { pin: '2026-07-28' } }
    }
);
const asked = [];
client.setRequestHandler('elicitation/create', request => {
    asked.push(request.params.message);
    return request.params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { word: `w${asked.length}` } };
});
client.setRequestHandler('sampling/createMessage', () => {
    asked.push('sampling');
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'short' } };
});
client.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///a' }] };
});

await client.connect(transportFor(StreamableHTTPClientTransport, StdioClientTransport));
await drive(client, asked, client.getProtocolEra(), params => client.callTool(params));
