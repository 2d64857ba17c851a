/**
 * A store of claims and of a catalog in Redis: an example of a store that a host writes for a
 * server that csi4j does not know. It begins at {@code RedisStore} and uses public types alone. The
 * page docs/stores.md says what Redis cannot guarantee.
 */
@NullMarked
package io.csi4j.examples.redis;

import org.jspecify.annotations.NullMarked;
