/**
 * The csi4j program: it inspects, calls, checks and serves plugins, and reads and explains mounts
 * and csi4j's state and claims.
 *
 * <p>Start with {@link io.csi4j.testkit.cli.Program}, which runs a command line and returns its
 * exit code; {@link io.csi4j.testkit.cli.Main} runs it with the streams of the process. Commands
 * print to the writers that they receive. Texts from a plugin are escaped before they are printed;
 * secrets are never printed.
 */
@NullMarked
package io.csi4j.testkit.cli;

import org.jspecify.annotations.NullMarked;
