-- Removes a consumer from its group if nothing is pending under it.
-- KEYS[1] stream; ARGV[1] group; ARGV[2] consumer. Returns 1 if nothing was pending.
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then
  return 0
end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
