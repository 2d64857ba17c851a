package io.csi4j.examples.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests against a real Redis. Where there is none they are skipped saying so, or fail where {@code
 * REDIS_TEST_REQUIRED=1} is set.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RedisPresence.class)
@interface RedisTest {}
