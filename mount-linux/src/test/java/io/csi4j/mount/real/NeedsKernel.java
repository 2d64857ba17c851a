package io.csi4j.mount.real;

import io.csi4j.mount.internal.kernel.Feature;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test of a {@link MountTest} class that only a kernel with these features can do; on any other
 * it is skipped, with what the kernel answers as the reason.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface NeedsKernel {
  /** The features, all of which it needs. */
  Feature[] value();
}
