/**
 * The csi4j program. It inspects, calls, checks and serves plugins, and explains mounts, claims and
 * the state of volume managers.
 *
 * <p>Start with {@link io.csi4j.testkit.cli.Program}, which runs a command line and returns its
 * exit code. {@link io.csi4j.testkit.cli.Main} runs the program with the streams of the process.
 * Commands print to the writers that they receive. Texts from a plugin are escaped before they are
 * printed. Secrets are never printed.
 */
@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
