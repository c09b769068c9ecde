-- PTX in Neovim 0.7 or later: dofile('.../ptx.lua') in init.lua. The server is `ptxoffload-lsp`, or the path in
-- vim.g.ptxoffload_server.
local hints = vim.api.nvim_create_namespace('ptxoffload')
local able = vim.fn.has('nvim-0.10') == 1

-- Shows inlay hints as virtual text, which Neovim itself does from version 0.10 on.
local function show_hints(client, buffer)
  local last = vim.api.nvim_buf_line_count(buffer)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = {start = {line = 0, character = 0}, ['end'] = {line = last, character = 0}},
  }
  client.request('textDocument/inlayHint', params, function(_, found)
    if not vim.api.nvim_buf_is_valid(buffer) then return end
    vim.api.nvim_buf_clear_namespace(buffer, hints, 0, -1)
    for _, hint in ipairs(found or {}) do
      pcall(vim.api.nvim_buf_set_extmark, buffer, hints, hint.position.line, 0,
        {virt_text = {{hint.label, 'Comment'}}, virt_text_pos = 'eol'})
    end
  end, buffer)
end

local function attached(client, buffer)
  vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
  if able then
    vim.lsp.inlay_hint.enable(true, {bufnr = buffer})
  end
end

-- Diagnostics follow each analysis, so that hints and code lenses are asked again with them.
local function published(_, result, context, config)
  vim.lsp.diagnostic.on_publish_diagnostics(_, result, context, config)
  local client, buffer = vim.lsp.get_client_by_id(context.client_id), vim.uri_to_bufnr(result.uri)
  if client and not able and vim.api.nvim_buf_is_loaded(buffer) then
    show_hints(client, buffer)
  end
end

local function start(buffer)
  local config = {
    name = 'ptxoffload',
    cmd = {vim.g.ptxoffload_server or 'ptxoffload-lsp'},
    root_dir = vim.fn.getcwd(),
    on_attach = attached,
    handlers = {['textDocument/publishDiagnostics'] = published},
  }
  if vim.lsp.start then
    vim.lsp.start(config)
    return
  end
  for _, client in ipairs(vim.lsp.get_active_clients()) do
    if client.name == config.name then
      vim.lsp.buf_attach_client(buffer, client.id)
      return
    end
  end
  vim.lsp.buf_attach_client(buffer, vim.lsp.start_client(config))
end

local group = vim.api.nvim_create_augroup('ptxoffload', {})
vim.api.nvim_create_autocmd({'BufRead', 'BufNewFile'}, {group = group, pattern = '*.ptx', callback = function()
  vim.bo.filetype = 'ptx'
end})
vim.api.nvim_create_autocmd('FileType', {group = group, pattern = 'ptx', callback = function(event)
  vim.bo.commentstring = '// %s'
  start(event and event.buf or vim.api.nvim_get_current_buf())
end})
