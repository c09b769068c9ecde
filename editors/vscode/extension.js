// Starts ptxoffload-lsp for PTX texts.
const vscode = require('vscode');
const {LanguageClient} = require('vscode-languageclient/node');

let client;

function activate() {
    const command = vscode.workspace.getConfiguration('ptxoffload').get('server');
    client = new LanguageClient('ptxoffload', 'ptxoffload', {command, args: ['--stdio']},
        {documentSelector: [{language: 'ptx'}]});
    return client.start();
}

function deactivate() {
    return client ? client.stop() : undefined;
}

module.exports = {activate, deactivate};
