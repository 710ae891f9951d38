package io.github.redisstreams.redis;

/**
 * A lag that was counted entry by entry.
 *
 * @param entries how many entries the group has still to be given
 * @param bounded whether counting was given up, so that there are at least so many
 */
public record CountedLag(long entries, boolean bounded) {

}
