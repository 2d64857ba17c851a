package io.csi4j.volume.claim.jdbc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests against a real PostgreSQL. Where there is none they are skipped saying so, or fail where
 * {@code POSTGRES_TEST_REQUIRED=1} is set.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(PostgresPresence.class)
public @interface PostgresTest {}
