-- Schedules an entry, or adds it if it is due. The first write, HSET or XADD, is one that
-- is refused where memory is full: a script whose first write is refused changes nothing.
-- KEYS[1] stream; KEYS[2] delayed entries; KEYS[3] the fields of this one; KEYS[4] the
-- record of its task; ARGV[1] to ARGV[3] as for trim; ARGV[4] 1 to keep a record;
-- ARGV[5] its id; ARGV[6] how many milliseconds to keep the record when it is done;
-- ARGV[7] when it is due: `at` a time or `after` a delay; ARGV[8] in milliseconds; then
-- the fields.
-- Returns {'scheduled', in how many milliseconds it is due}, or as add.lua does.
local isTask, id, retention = ARGV[4] == '1', ARGV[5], ARGV[6]
local command = forbidden({'HSET', KEYS[3], 'f', 'v'}, {'ZADD', KEYS[2], 0, id}, {'XADD', KEYS[1], '*', 'f', 'v'})
  or (isTask and forbidden({'DEL', KEYS[4]}, {'HSET', KEYS[4], 'f', 'v'}))
if command then
  return refuse(command)
end
local state = redis.call('ZSCORE', KEYS[2], id) and 'scheduled'
  or (isTask and activeState(KEYS[1], KEYS[2], KEYS[4], id))
if state then
  return {'refused', state}
end
local time = now()
if time == 0 then
  return refuse('TIME')
end
local due = tonumber(ARGV[8]) + (ARGV[7] == 'after' and time or 0)
if due <= time then
  local entry, lost = addTo(KEYS[1], ARGV[1], ARGV[2], ARGV[3], {'*', unpack(ARGV, 9)})
  if type(entry) == 'table' then
    return entry
  end
  if isTask then
    begin(KEYS[4], retention, 0, 'state', 'queued', 'entry', entry, 'scheduled', due, 'queued', time)
  end
  return {'added', entry, lost + trim(KEYS[1], ARGV[1], ARGV[2], ARGV[3])}
end
-- Numbered, since a hash keeps neither the order of its fields nor two of one name
local parked = {}
for i = 9, #ARGV, 2 do
  parked[#parked + 1] = ((i - 7) / 2) .. ' ' .. ARGV[i]
  parked[#parked + 1] = ARGV[i + 1]
end
-- Left over where somebody has deleted the sorted set, say
if #redis.call('HGETALL', KEYS[3]) > 0 then
  redis.call('DEL', KEYS[3])
end
redis.call('HSET', KEYS[3], unpack(parked))
redis.call('ZADD', KEYS[2], due, id)
if isTask then
  begin(KEYS[4], retention, due - time, 'state', 'scheduled', 'scheduled', due)
end
return {'scheduled', due - time}
