-- Acknowledges entries of tasks, and notes that these are done once no group needs the
-- entry. Also where it was not pending any more, as when it was trimmed while it was
-- handled: the record of what another has ended does not change.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer; ARGV[3] 1 to delete the entries that no
-- other group needs; ARGV[4] what comes before the id in the keys of the records; then for
-- each its entry, its id, its state, how often it was delivered, and what its handler
-- failed with, if it did. Returns how many were pending.
local acknowledged, ids = 0, {}
-- This group too: where it was created anew, it is to be given the entry once more
local groups = groupsOf(KEYS[1]) or {}
for i = 5, #ARGV, 5 do
  local entry = ARGV[i]
  ids[#ids + 1] = entry
  acknowledged = acknowledged + redis.call('XACK', KEYS[1], ARGV[1], entry)
  if not isNeeded(KEYS[1], groups, entry) then
    finish(ARGV[4] .. ARGV[i + 1], entry, ARGV[i + 2], ARGV[i + 3], ARGV[2], ARGV[i + 4])
  end
end
if ARGV[3] == '1' then
  deleteUnneeded(KEYS[1], ARGV[1], ids)
end
return acknowledged
