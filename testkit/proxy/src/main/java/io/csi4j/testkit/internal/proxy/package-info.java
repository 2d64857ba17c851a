/**
 * The calls that pass through a proxy, and those that are replayed: the connection to the plugin,
 * the path of a call from its caller to the plugin and back, the rules for the plugin's answers,
 * the file of a recording. Start with {@link io.csi4j.testkit.internal.proxy.ProxyCore}. Every
 * class that touches a socket runs on one event loop.
 */
@NullMarked
package io.csi4j.testkit.internal.proxy;

import org.jspecify.annotations.NullMarked;
