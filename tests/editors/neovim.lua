-- A session in Neovim: opens x.ptx, which has a mistake, and writes what the editor shows to standard output.
local function say(title, lines)
  io.write('== ' .. title .. '\n')
  for _, line in ipairs(type(lines) == 'table' and lines or {lines}) do io.write(tostring(line) .. '\n') end
end

local function wait_for(what, condition)
  if not vim.wait(30000, condition, 20) then
    say('no ' .. what, vim.api.nvim_buf_get_lines(0, 0, -1, false))
    os.exit(1)
  end
end

local function go_to(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. text) > 0, text)
end

local function diagnostics()
  local shown = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(shown, string.format('%d:%d: %s', one.lnum + 1, one.col + 1, one.message))
  end
  return shown
end

local function marks()
  local shown, spaces = {}, vim.api.nvim_get_namespaces()
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, spaces.ptxoffload, 0, -1, {details = true})) do
    local line = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, false)[1]
    table.insert(shown, vim.trim(line) .. '   ' .. mark[4].virt_text[1][1])
  end
  return shown
end

vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end
vim.cmd('edit x.ptx')
wait_for('diagnostics', function() return #diagnostics() > 0 end)
say('error', diagnostics())

go_to('ad.u32')
vim.lsp.buf.code_action()
wait_for('fix', function() return vim.fn.search('add.u32 \\+%r3', 'nw') > 0 end)
wait_for('end of the error', function() return #diagnostics() == 0 end)
say('fixed', vim.trim(vim.api.nvim_buf_get_lines(0, vim.fn.search('%r3, %r2', 'nw') - 1, -1, false)[1]))

wait_for('hints', function() return #marks() > 1 end)
say('hints', marks())

go_to('ld.global')
vim.lsp.buf.hover()
local window
wait_for('hover', function()
  for _, one in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(one).relative ~= '' then window = one end
  end
  return window
end)
say('hover', vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
vim.api.nvim_win_close(window, true)

go_to('%r2, [')
vim.lsp.buf.rename('%loaded')
wait_for('new name', function() return vim.fn.search('%loaded', 'nw') > 0 end)
local shown = {}
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  if line:find('loaded') then table.insert(shown, vim.trim(line)) end
end
say('renamed', shown)

go_to('LOOP;')
local column = vim.lsp.omnifunc(1, '')
say('references', vim.tbl_map(function(one) return one.range.start.line + 1 end,
  vim.lsp.buf_request_sync(0, 'textDocument/references', vim.tbl_extend('force',
    vim.lsp.util.make_position_params(), {context = {includeDeclaration = true}}), 10000)[1].result))
vim.cmd('qall!')
