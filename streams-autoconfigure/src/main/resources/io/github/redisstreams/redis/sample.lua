-- Tells how a stream and some of its groups are, without sending any entry.
-- KEYS[1] stream; KEYS[2] its scheduled entries; KEYS[3...] streams of dead letters;
-- ARGV the names of the groups.
-- Returns the server's time (seconds and microseconds, nothing where the user may not
-- ask); how many entries each key has, in the order of the keys; and for each group that
-- there is its name, how many consumers and pending entries it has, its last delivered id,
-- its lag (negative where the server cannot tell), the first id that is pending, the first
-- that is undelivered (each empty for none), and whether that is the stream's first. In
-- place of what cannot be told stands the error.
local function attempt(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then
    return nil, reply.err
  end
  return reply
end

local function figure(...)
  local reply, failure = attempt(...)
  return failure or reply
end

local function firstId(...)
  local entries, failure = attempt(...)
  return failure or (entries[1] and entries[1][1] or '')
end

local stream = KEYS[1]
local sizes = {figure('XLEN', stream), figure('ZCARD', KEYS[2])}
for i = 3, #KEYS do
  sizes[i] = figure('XLEN', KEYS[i])
end
local groups = {}
local infos, failure = {}, nil
if #ARGV > 0 then
  infos, failure = attempt('XINFO', 'GROUPS', stream)
end
local wanted = {}
for _, name in ipairs(ARGV) do
  wanted[name] = true
end
local first = nil
for _, info in ipairs(infos or {}) do
  local group = {}
  for i = 1, #info, 2 do
    group[info[i]] = info[i + 1]
  end
  if wanted[group['name']] then
    local pending, beginning = '', 0
    if group['pending'] > 0 then
      pending = firstId('XPENDING', stream, group['name'], '-', '+', 1)
    end
    local undelivered = firstId('XRANGE', stream, '(' .. group['last-delivered-id'], '+', 'COUNT', 1)
    if undelivered ~= '' then
      first = first or firstId('XRANGE', stream, '-', '+', 'COUNT', 1)
      beginning = undelivered == first and 1 or 0
    end
    groups[#groups + 1] = {group['name'], group['consumers'], group['pending'], group['last-delivered-id'],
      group['lag'] or -1, pending, undelivered, beginning}
  end
end
local time = attempt('TIME') or {}
return {time, sizes, failure or groups}
