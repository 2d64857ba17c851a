/**
 * csi4j as a program: plugins looked at, called, checked and served; mounts, and the state and
 * claims of csi4j, read and explained.
 *
 * <p>Start with {@link io.csi4j.testkit.cli.Program}, which runs a command line and gives its exit
 * code; {@link io.csi4j.testkit.cli.Main} is the same with the streams of the process. Commands
 * print through the writers handed in. What a plugin says is escaped before it is printed; secrets
 * are never printed.
 */
@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
