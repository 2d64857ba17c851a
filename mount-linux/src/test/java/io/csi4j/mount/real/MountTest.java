package io.csi4j.mount.real;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A class of tests that mount for real. They run in a mount namespace that ends with their JVM, as
 * root or as an ordinary user in a user namespace, in the campaigns as both, and take a {@link
 * Scratch} parameter.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("mount")
@ExtendWith(PrivateNamespace.class)
public @interface MountTest {}
