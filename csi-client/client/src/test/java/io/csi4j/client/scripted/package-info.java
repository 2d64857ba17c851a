/**
 * A small CSI plugin that answers as it is told, on a real UNIX domain socket: what the tests of
 * this module, and of those beside it, talk to. Start at {@code ScriptedPlugin}. It has no memory
 * and no manners; the plugin that behaves is testkit's.
 */
@NullMarked
package io.csi4j.client.scripted;

import org.jspecify.annotations.NullMarked;
