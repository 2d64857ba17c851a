/** Apache Ozone's CSI server, a third-party plugin, with hosts that mount its buckets. */
package io.csi4j.examples.ozone;
