/** Tests of the command line; those marked {@code packaged} need the finished jars. */
@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
