package org.springframework.samples;

import org.springframework.stereotype.Service;

/**
 * A component in a package that looks like one of Spring itself.
 */
@Service
public class SampleService extends SampleListener {

}
