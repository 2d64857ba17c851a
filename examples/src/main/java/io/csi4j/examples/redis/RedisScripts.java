package io.csi4j.examples.redis;

/**
 * The scripts of a store. Redis runs a script to its end before it runs another command, so a
 * script sees one consistent state, and other clients never see only a part of its writes. Redis
 * does not undo the writes of a script that fails. So each script reads all its keys before its
 * first write.
 *
 * <p>Key 1 is a hash with the mark of the store, the run of the server in which the mark was
 * created, and the number of writes. Key 2 is a stream of the last writes. For each space, there is
 * a sorted set of names (keys 3 to 5), and a hash of records by name (keys 6 to 8). A record
 * consists of its version, a space character, and its bytes.
 */
final class RedisScripts {

  /** Number of writes that are kept in the stream for watches. */
  static final int KEPT = 2_000;

  /**
   * Reads the values that every answer begins with: the mark, the run of the server that created
   * the mark, the number of writes, and the current run of the server.
   */
  private static final String HEAD =
      """
      local head = redis.call('HMGET', KEYS[1], 'mark', 'home', 'version')
      local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
      if not string.find(redis.call('INFO', 'replication'), 'role:master', 1, true) then
        return redis.error_reply('READONLY this server is a replica')
      end
      local function answer(more)
        return {head[1] or '', head[2] or '', head[3] or '0', run, more}
      end
      """;

  /** Returns only the values that every answer begins with. */
  static final String LOOK = HEAD + "return answer({})";

  /** Sets the mark of a store that has neither a mark nor records. The argument is the mark. */
  static final String MARK =
      HEAD
          + """
          local records = 0
          for key = 3, 5 do
            records = records + redis.call('ZCARD', KEYS[key]) + redis.call('HLEN', KEYS[key + 3])
          end
          if not head[1] and records == 0 then
            redis.call('HSET', KEYS[1], 'mark', ARGV[1], 'home', run, 'version', head[3] or '0')
            head = redis.call('HMGET', KEYS[1], 'mark', 'home', 'version')
          end
          return answer({})
          """;

  /**
   * Sets a new mark, and a version above the versions of all existing records. The argument is the
   * mark.
   */
  static final String SETTLE =
      HEAD
          + """
          local top = tonumber(head[3] or '0')
          for key = 6, 8 do
            for _, record in ipairs(redis.call('HVALS', KEYS[key])) do
              top = math.max(top, tonumber(string.match(record, '^%d+ ') or '0'))
            end
          end
          redis.call('HSET', KEYS[1], 'mark', ARGV[1], 'home', run,
              'version', string.format('%.0f', top + 1))
          head = redis.call('HMGET', KEYS[1], 'mark', 'home', 'version')
          return answer({})
          """;

  /** Returns records. The arguments are the space and the name of each record. */
  static final String READ =
      HEAD
          + """
          local found = {}
          for i = 1, #ARGV, 2 do
            found[#found + 1] = redis.call('HGET', KEYS[5 + ARGV[i]], ARGV[i + 1])
          end
          return answer(found)
          """;

  /**
   * Returns names and records, ordered by name. The arguments are the space, the name after which
   * the result begins, and the maximum number of records.
   */
  static final String SCAN =
      HEAD
          + """
          local found = {}
          for _, name in ipairs(redis.call('ZRANGEBYLEX', KEYS[2 + ARGV[1]], '(' .. ARGV[2], '+',
              'LIMIT', 0, ARGV[3])) do
            found[#found + 1] = name
            found[#found + 1] = redis.call('HGET', KEYS[5 + ARGV[1]], name)
          end
          return answer(found)
          """;

  /**
   * Returns writes in order. The arguments are the version before the first write, and the maximum
   * number of writes.
   */
  static final String LOG =
      HEAD
          + """
          return answer(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-1', '+',
              'COUNT', ARGV[2]))
          """;

  /**
   * Makes either all given writes or none of them. The first arguments are the expected mark and
   * the expected run of the server; an empty run is not checked. The arguments for each write are
   * the space, the name, and the expected record, which is empty if no record is expected; then a
   * plus sign with the bytes to write, or a minus sign to remove the record. Returns the version of
   * the last write. If the writes were not made, returns 0 and the existing records.
   */
  static final String WRITE =
      HEAD
          + """
          local same = head[1] == ARGV[1]
              and (ARGV[2] == '' or (head[2] == ARGV[2] and run == ARGV[2]))
          local found = {'0'}
          for i = 3, #ARGV, 4 do
            local there = redis.call('HGET', KEYS[5 + ARGV[i]], ARGV[i + 1])
            redis.call('ZCARD', KEYS[2 + ARGV[i]])
            found[#found + 1] = there
            same = same and (there or '') == ARGV[i + 2]
          end
          redis.call('XLEN', KEYS[2])
          if not same then
            return answer(found)
          end
          for i = 3, #ARGV, 4 do
            local space, name, next = ARGV[i], ARGV[i + 1], ARGV[i + 3]
            head[3] = string.format('%.0f', redis.call('HINCRBY', KEYS[1], 'version', 1))
            local entry = {'s', space, 'n', name}
            if string.sub(next, 1, 1) == '+' then
              local record = head[3] .. ' ' .. string.sub(next, 2)
              redis.call('HSET', KEYS[5 + space], name, record)
              redis.call('ZADD', KEYS[2 + space], 0, name)
              entry[5], entry[6] = 'r', record
            else
              redis.call('HDEL', KEYS[5 + space], name)
              redis.call('ZREM', KEYS[2 + space], name)
            end
            local function log()
              local reply = redis.pcall('XADD', KEYS[2], 'MAXLEN', KEPT, head[3] .. '-1',
                  unpack(entry))
              return type(reply) ~= 'table' or not reply.err
            end
            if not log() then
              -- The log is ahead of the store: watches find a gap in a new one, and report it.
              redis.call('DEL', KEYS[2])
              log()
            end
          end
          return answer({head[3]})
          """
              .replace("KEPT", "" + KEPT);

  private RedisScripts() {}
}
