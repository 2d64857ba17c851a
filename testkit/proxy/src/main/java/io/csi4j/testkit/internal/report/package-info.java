/**
 * The page that shows the calls of a journal: one HTML file without scripts. Start with {@link
 * io.csi4j.testkit.internal.report.ReportPage}. The page only presents results; it does not judge
 * calls.
 */
@NullMarked
package io.csi4j.testkit.internal.report;

import org.jspecify.annotations.NullMarked;
