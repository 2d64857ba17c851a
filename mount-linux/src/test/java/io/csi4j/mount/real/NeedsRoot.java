package io.csi4j.mount.real;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test of a {@link MountTest} class that only root can do; it is skipped for everybody else. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface NeedsRoot {
  /** What root is needed for. */
  String value();
}
