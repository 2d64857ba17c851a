/**
 * A store for claims and a catalog in Redis. It is an example of a store that a host implements for
 * a server that csi4j does not support. Start at {@code RedisStore}. The example uses only public
 * types. The page docs/stores.md says what Redis cannot guarantee.
 */
@NullMarked
package io.csi4j.examples.redis;

import org.jspecify.annotations.NullMarked;
