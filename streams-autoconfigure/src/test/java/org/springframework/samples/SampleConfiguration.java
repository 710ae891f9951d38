package org.springframework.samples;

import org.springframework.context.annotation.Configuration;

/**
 * A configuration class, whose bean is of a subclass, in a package that looks like one of
 * Spring itself.
 */
@Configuration
public class SampleConfiguration extends SampleListener {

}
