package io.csi4j.client.model;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks parts of the API that the CSI spec calls alpha: plugins need not support them, and a minor
 * release of the spec may change or remove them. Such parts of csi4j may change in a minor release
 * too.
 *
 * @since 1.0
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD})
public @interface Experimental {}
