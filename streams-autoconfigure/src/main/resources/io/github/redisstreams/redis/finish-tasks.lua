-- Acknowledges entries of tasks, and notes that these are done once no other group needs
-- the entry. What another has acknowledged meanwhile says nothing more about its task.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer; ARGV[3] 1 to delete the entries that no
-- other group needs; ARGV[4] what comes before the id in the keys of the records; then for
-- each its entry, its id, its state, how often it was delivered, and what its handler
-- failed with, if it did. Returns how many were pending.
local acknowledged, ids = 0, {}
local others = groupsOf(KEYS[1], ARGV[1]) or {}
for i = 5, #ARGV, 5 do
  local entry = ARGV[i]
  ids[#ids + 1] = entry
  if redis.call('XACK', KEYS[1], ARGV[1], entry) == 1 then
    acknowledged = acknowledged + 1
    if not isNeeded(KEYS[1], others, entry) then
      finish(ARGV[4] .. ARGV[i + 1], entry, ARGV[i + 2], ARGV[i + 3], ARGV[2], ARGV[i + 4])
    end
  end
end
if ARGV[3] == '1' then
  deleteUnneeded(KEYS[1], ARGV[1], ids)
end
return acknowledged
