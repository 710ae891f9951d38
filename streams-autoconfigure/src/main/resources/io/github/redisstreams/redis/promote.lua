-- Moves scheduled entries that are due into their stream, the earliest first.
-- KEYS[1] stream; KEYS[2] delayed entries; ARGV[1] to ARGV[3] as for trim; ARGV[4] and
-- ARGV[5] what comes before the id in the keys of their fields and records; ARGV[6] how
-- many entries to move at most; ARGV[7] after how many bytes to stop.
-- Returns how many milliseconds late each was; the ids of those whose fields were gone;
-- in how many milliseconds the next is due, or -1; how many entries are gone that some
-- group had still to be given.
-- As they were given, or nil where it was somebody else who wrote them.
local function inOrder(parked)
  local fields = {}
  for i = 1, #parked, 2 do
    local digits = string.match(parked[i], '^(%d+) ')
    if not digits then
      return nil
    end
    fields[2 * digits - 1] = string.sub(parked[i], #digits + 2)
    fields[2 * digits] = parked[i + 1]
  end
  -- The length of a table with gaps may be anything
  for i = 1, #parked do
    if not fields[i] then
      return nil
    end
  end
  return #parked > 0 and fields or nil
end

local time = now()
if time == 0 then
  return refuse('TIME')
end
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', time, 'WITHSCORES', 'LIMIT', 0, ARGV[6])
local late, missing, moved, parked, bytes, lost = {}, {}, {}, {}, 0, 0
if #due > 0 then
  local key = ARGV[4] .. due[1]
  -- Or else it would be moved again and again
  local command = forbidden({'XADD', KEYS[1], '*', 'f', 'v'}, {'HGETALL', key}, {'DEL', key}, {'ZREM', KEYS[2], due[1]})
  if command then
    return refuse(command)
  end
end
local failure = nil
for i = 1, #due, 2 do
  local id = due[i]
  local numbered = redis.pcall('HGETALL', ARGV[4] .. id)
  local fields = inOrder(numbered)
  if fields then
    local entry, gone = addTo(KEYS[1], ARGV[1], ARGV[2], ARGV[3], {'*', unpack(fields, 1, #numbered)})
    lost = lost + gone
    if type(entry) == 'table' then
      failure = entry
      break
    end
    -- The last field of a task is its id
    if fields[#numbered - 1] == 'redis_task' and stateOf(ARGV[5] .. id) == 'scheduled' then
      redis.pcall('HSET', ARGV[5] .. id, 'state', 'queued', 'entry', entry, 'queued', time)
      forgetAfter(ARGV[5] .. id, 0)
    end
    parked[#parked + 1] = ARGV[4] .. id
    late[#late + 1] = time - due[i + 1]
    for _, value in ipairs(fields) do
      -- Each takes some time of its own
      bytes = bytes + #value + 32
    end
  elseif numbered.err and not string.find(numbered.err, 'WRONGTYPE', 1, true) then
    -- Not for ever, and nothing is to be lost
    failure = numbered
    break
  else
    missing[#missing + 1] = id
  end
  moved[#moved + 1] = id
  if bytes > tonumber(ARGV[7]) then
    break
  end
end
if failure and #moved == 0 then
  return failure
end
if #parked > 0 then
  redis.call('DEL', unpack(parked))
  lost = lost + trim(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
end
if #moved > 0 then
  redis.call('ZREM', KEYS[2], unpack(moved))
end
local first = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return {late, missing, first[2] and math.max(0, first[2] - time) or -1, lost}
