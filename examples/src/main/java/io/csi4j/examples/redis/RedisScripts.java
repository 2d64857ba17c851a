package io.csi4j.examples.redis;

/**
 * The scripts of a store. Redis runs a script to its end before it does anything else, so the
 * answer of a script is of one moment, and the writes of a script are made completely or not at
 * all. A script that fails half way is not undone: so each looks at all its keys before its first
 * write.
 *
 * <p>Keys: 1 is a hash with the mark of the store, where the mark was made, and the number of
 * writes. 2 is a stream of the last writes. For each space there is a sorted set of names (3 to 5),
 * and a hash of records by name (6 to 8), each its version, a blank, and its bytes.
 */
final class RedisScripts {

  /** Writes that are kept for watches. */
  static final int KEPT = 2_000;

  /** The mark, its run of the server, the number of writes, and the run that answers. */
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

  /** Nothing but the head. */
  static final String LOOK = HEAD + "return answer({})";

  /** Makes the mark of a store that has neither a mark nor records. Takes the mark. */
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

  /** Makes another mark, and goes on behind all versions that are there. Takes the mark. */
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

  /** Records. Takes the space and the name of each. */
  static final String READ =
      HEAD
          + """
          local found = {}
          for i = 1, #ARGV, 2 do
            found[#found + 1] = redis.call('HGET', KEYS[5 + ARGV[i]], ARGV[i + 1])
          end
          return answer(found)
          """;

  /** Names and records in their order. Takes the space, the name before them, and how many. */
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

  /** Writes in their order. Takes the version before the first, and how many. */
  static final String LOG =
      HEAD
          + """
          return answer(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-1', '+',
              'COUNT', ARGV[2]))
          """;

  /**
   * Some writes, all or none. Takes the mark and the run of the server that are expected, the run
   * empty where it does not count; and for each write the space, the name, the record that is
   * expected, empty for none, and behind a plus the bytes to write, or a minus. Gives the version
   * of the last write, or 0, and the records that are there if the writes were not made.
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
