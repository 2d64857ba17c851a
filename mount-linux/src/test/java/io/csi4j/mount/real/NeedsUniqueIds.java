package io.csi4j.mount.real;

import io.csi4j.mount.internal.kernel.Feature;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that needs mounts with numbers that no others get (Linux 6.8). */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@NeedsKernel({Feature.STATX_UNIQUE_ID, Feature.STATMOUNT, Feature.LISTMOUNT})
public @interface NeedsUniqueIds {}
