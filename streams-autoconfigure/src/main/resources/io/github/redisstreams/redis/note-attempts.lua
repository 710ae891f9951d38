-- Notes how the handling of tasks goes, where they are still to be done.
-- KEYS[1] stream; ARGV[1] consumer; ARGV[2] what comes before the id in the keys of their
-- records; ARGV[3] state; then for each its entry, its id, how often it was delivered,
-- and what its handler failed with, if it did.
local time = now()
for i = 4, #ARGV, 4 do
  local run = ARGV[2] .. ARGV[i + 1]
  if note(run, ARGV[i], 'state', ARGV[3], 'attempts', ARGV[i + 2], 'consumer', ARGV[1]) then
    if ARGV[3] == 'running' then
      redis.pcall('HSET', run, 'started', time)
    elseif ARGV[i + 3] ~= '' then
      redis.pcall('HSET', run, 'error', ARGV[i + 3])
    end
  end
end
return 1
