-- Deletes entries that no other group has still to be given or has pending. Not a script
-- of its own: others begin with it.
-- What the user may not do stays undone: the entries are acknowledged all the same.
local function deleteUnneeded(stream, group, ids)
  local others = groupsOf(stream, group)
  if not others then
    return
  end
  for _, id in ipairs(ids) do
    if not isNeeded(stream, others, id) then
      redis.pcall('XDEL', stream, id)
    end
  end
end

