/**
 * The page that shows the calls of a journal: one file of HTML without scripts. Start with {@link
 * io.csi4j.testkit.internal.report.ReportPage}. It knows what to show, and judges nothing.
 */
@NullMarked
package io.csi4j.testkit.internal.report;

import org.jspecify.annotations.NullMarked;
