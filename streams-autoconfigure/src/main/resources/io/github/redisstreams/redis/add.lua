-- Adds an entry: refuses it where its task is still to be done, notes that it is queued,
-- and trims the stream. XADD is the first write: a script whose first write is refused
-- for memory changes nothing but to trim.
-- KEYS[1] stream; for a task KEYS[2] delayed entries; ARGV[1] to ARGV[3] as for trim;
-- ARGV[4] 1 for a task; ARGV[5] its id, empty for that of the entry; ARGV[6] how many milliseconds to
-- keep the record of it when it is done; ARGV[7] what comes before the id in its key;
-- ARGV[8] how many of the arguments after it are options of XADD; then these; then the
-- fields.
-- Returns {'added', id, entries gone that some group had still to be given}, or
-- {'refused', state}.
local isTask, id, retention, prefix = ARGV[4] == '1', ARGV[5], ARGV[6], ARGV[7]
local options = tonumber(ARGV[8])
if isTask then
  local command = forbidden({'HSET', prefix .. id, 'f', 'v'}, {'DEL', prefix .. id})
  if command then
    return refuse(command)
  end
  local state = id ~= '' and activeState(KEYS[1], KEYS[2], prefix .. id, id)
  if state then
    return {'refused', state}
  end
end
local arguments = {unpack(ARGV, 9, 8 + options)}
arguments[options + 1] = '*'
for i = 9 + options, #ARGV do
  arguments[#arguments + 1] = ARGV[i]
end
-- With IDMP the entry may be one that was added before, whose task may be done by now
local length = isTask and options > 0 and redis.call('XLEN', KEYS[1])
local entry, lost = addTo(KEYS[1], length and 'none' or ARGV[1], ARGV[2], ARGV[3], arguments)
if type(entry) == 'table' then
  return entry
end
if isTask and (not length or redis.call('XLEN', KEYS[1]) > length) then
  begin(prefix .. (id ~= '' and id or entry), retention, 0, 'state', 'queued', 'entry', entry, 'queued', now())
end
return {'added', entry, lost + trim(KEYS[1], ARGV[1], ARGV[2], ARGV[3])}
