-- What becomes of tasks, a hash for each. Not a script of its own: others begin with it.
-- Milliseconds by the server's clock, 0 where the user may not ask.
local function now()
  local time = redis.pcall('TIME')
  return time.err and 0 or time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The first of these commands that the user may not do. Servers before 7.0 cannot tell.
local function forbidden(...)
  for _, command in ipairs({...}) do
    if redis.acl_check_cmd and not redis.acl_check_cmd(unpack(command)) then
      return command[1]
    end
  end
  return nil
end

local function refuse(command)
  return redis.error_reply('NOPERM this user may not ' .. command .. ', which this takes')
end

-- The state of a task that is still to be done, or nil. One whose entry was trimmed or
-- deleted never will be.
local function activeState(stream, delayed, run, id)
  local known = redis.call('HMGET', run, 'state', 'entry')
  local state, entry = known[1], known[2]
  if state == 'scheduled' then
    return redis.call('ZSCORE', delayed, id) and state or nil
  end
  if (state == 'queued' or state == 'running') and entry then
    return #redis.call('XRANGE', stream, entry, entry) > 0 and state or nil
  end
  return nil
end

-- The state that is noted for a task, if any can be read.
local function stateOf(run)
  return redis.pcall('HMGET', run, 'state')[1]
end

-- How long after it was due a task is remembered of which nothing is heard: its entry was
-- trimmed or deleted, most likely.
local LONGEST_SILENCE = 30 * 24 * 60 * 60 * 1000

local function forgetAfter(run, wait)
  redis.pcall('PEXPIRE', run, string.format('%.0f', math.max(0, wait) + LONGEST_SILENCE))
end

-- Begins the record of a task anew, which is due in so many milliseconds.
local function begin(run, retention, wait, ...)
  redis.call('DEL', run)
  redis.call('HSET', run, 'retention', retention, 'attempts', 0, ...)
  forgetAfter(run, wait)
end

-- Notes something about a task, unless it is done or has become another entry's. What
-- the user may not do stays undone: no entry is to suffer from it.
-- Returns for how many milliseconds to keep the record of the task when it is done, and
-- when a handler began with it if that is known; or nil if nothing was noted.
local function note(run, entry, ...)
  local known = redis.pcall('HMGET', run, 'entry', 'state', 'retention', 'started')
  if known.err or known[1] ~= entry or (known[2] ~= 'queued' and known[2] ~= 'running') then
    return nil
  end
  local noted = redis.pcall('HSET', run, ...)
  if type(noted) ~= 'number' then
    return nil
  end
  forgetAfter(run, 0)
  return tonumber(known[3] or 0), known[4]
end

-- Ends a task, whose record is kept for as long as its sender wanted.
local function finish(run, entry, state, attempts, consumer, failure)
  local time = now()
  local retention, started = note(run, entry, 'state', state, 'attempts', attempts, 'consumer', consumer, 'finished', time)
  if not retention then
    return
  end
  if not started then
    redis.pcall('HSET', run, 'started', time)
  end
  if failure ~= '' then
    redis.pcall('HSET', run, 'error', failure)
  end
  if retention > 0 then
    redis.pcall('PEXPIRE', run, retention)
  else
    redis.pcall('DEL', run)
  end
end

