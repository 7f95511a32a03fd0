// What both clients are made to do.

export function transportFor(Http, Stdio) {
    const [, , kind, target] = process.argv;
    if (kind === 'http') return new Http(new URL(target));
    return new Stdio({ command: target, env: { ...process.env, LEGACYADAPTER_DESK: 'stdio' }, stderr: 'ignore' });
}

export async function drive(client, asked, era, callTool) {
    const results = [];
    // A refusal is an answer too: its code is what counts.
    const record = async run => {
        try {
            results.push(await run());
        } catch (error) {
            results.push(`error ${error.code}`);
        }
    };
    const tool = (name, args) => record(async () => (await callTool({ name, arguments: args })).content[0].text);
    await tool('steps', { n: 4 });
    await tool('confirm', { what: 'x' });
    await tool('blocking', {});
    await tool('link', {});
    await tool('sample', {});
    await tool('roots', {});
    await tool('plain', {});
    await record(async () => (await client.getPrompt({ name: 'handover', arguments: { shift: 'night' } })).messages[0].content.text);
    await record(async () => (await client.readResource({ uri: 'desk://payroll' })).contents[0].text);
    await tool('no such tool', {});
    await client.close();
    console.log(JSON.stringify({ era, asked, results }));
}
