/**
 * What a proxy does with the calls it has seen: the rules for a plugin's answers, the lines of a
 * recording, the playing of one, and the page that shows a journal. The way of a call through a
 * proxy is with the sockets, in {@link io.csi4j.testkit.internal.server}.
 */
@NullMarked
package io.csi4j.testkit.internal.proxy;

import org.jspecify.annotations.NullMarked;
